// Draws every element that carries `data-diagram`:
//   <figure data-diagram data-url="/casos/1/diagrama.bpmn" data-marks='{"julgar": "active"}'>fallback</figure>
// What stands inside the element stays until the drawing is ready, and for good when it fails.
// `data-words` holds every word that is shown, in the page's language: bar, larger, smaller, fit, failed.
// Marks are "done", "active" or "late", by the BPMN id of an element or a flow. Reads only; the page works without it.
import NavigatedViewer from "bpmn-js/lib/NavigatedViewer";

const READABLE = 900; // units of a drawing that a sheet of A4 shows in letters one can read
const MARKS = new Set(["done", "active", "late"]);

/** Draws one element and gives its viewer. Rejects when the diagram cannot be read or drawn. */
async function draw(element) {
  const response = await fetch(element.dataset.url, { credentials: "same-origin" });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const xml = await response.text();

  const fallback = [...element.childNodes];
  element.classList.add("diagram-drawn");
  element.replaceChildren();
  // The wheel keeps scrolling the page; the buttons and the keyboard zoom.
  const viewer = new NavigatedViewer({ container: element, zoomScroll: { enabled: false } });
  try {
    await viewer.importXML(xml);
  } catch (error) {
    viewer.destroy();
    element.classList.remove("diagram-drawn");
    element.replaceChildren(...fallback);
    throw error;
  }
  mark(viewer, JSON.parse(element.dataset.marks || "{}"));
  element.before(zoomButtons(viewer, element, words(element)));
  fit(viewer);
  forPaper(viewer, element);
  return viewer;
}

/** A sheet is narrower than a window: while printing, the drawing scales to it, with as much as can be read there. */
function forPaper(viewer, element) {
  const svg = element.querySelector("svg[data-element-id], .djs-container > svg");
  const viewport = svg.querySelector(".viewport");
  let moved = null;
  window.addEventListener("beforeprint", () => {
    const { x, y, width, height, scale } = viewer.get("canvas").viewbox();
    const part = scale < 0.7 ? 1 : Math.min(1, READABLE / width); // whoever zoomed out wants to see it all
    moved = viewport.getAttribute("transform");
    viewport.removeAttribute("transform");
    const [left, top] = [x + (width * (1 - part)) / 2, y + (height * (1 - part)) / 2];
    svg.setAttribute("viewBox", `${left} ${top} ${width * part} ${height * part}`);
  });
  window.addEventListener("afterprint", () => {
    svg.removeAttribute("viewBox");
    if (moved) viewport.setAttribute("transform", moved);
  });
}

/** Replaces the marks of a drawn diagram; unknown elements and unknown marks are left out. */
function mark(viewer, marks) {
  const canvas = viewer.get("canvas");
  const registry = viewer.get("elementRegistry");
  registry.forEach((shape) => MARKS.forEach((name) => canvas.removeMarker(shape, name)));
  for (const [id, name] of Object.entries(marks)) {
    if (MARKS.has(name) && registry.get(id)) canvas.addMarker(id, name);
  }
}

function fit(viewer) {
  const canvas = viewer.get("canvas");
  canvas.resized();
  canvas.zoom("fit-viewport", "auto");
}

function words(element) {
  return JSON.parse(element.dataset.words);
}

function zoomButtons(viewer, element, said) {
  const bar = document.createElement("div");
  bar.className = "diagram-zoom";
  bar.setAttribute("role", "group");
  bar.setAttribute("aria-label", said.bar);
  const button = (label, action) => {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = label;
    made.addEventListener("click", action);
    bar.append(made);
  };
  const zoom = (factor) => {
    const canvas = viewer.get("canvas");
    canvas.zoom(canvas.zoom() * factor, "auto");
  };
  button(said.larger, () => zoom(1.25));
  button(said.smaller, () => zoom(0.8));
  button(said.fit, () => fit(viewer));
  if (element.id) bar.querySelectorAll("button").forEach((b) => b.setAttribute("aria-controls", element.id));
  return bar;
}

function sayFailed(element) {
  const notice = document.createElement("p");
  notice.className = "diagram-failed";
  notice.setAttribute("role", "status");
  notice.textContent = words(element).failed;
  element.before(notice);
}

function drawAll() {
  document.querySelectorAll("[data-diagram]").forEach((element) => {
    draw(element).then(
      (viewer) => element.dispatchEvent(new CustomEvent("diagram:drawn", { bubbles: true, detail: { viewer } })),
      () => sayFailed(element),
    );
  });
}

window.TramitaDiagram = { draw, mark, fit };
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", drawAll);
else drawAll();
