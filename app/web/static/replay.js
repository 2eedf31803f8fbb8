// Moves through the entries of a case without loading the page anew: a slider, a play button, the same links.
// Without it every step is a page of its own; each step keeps its address, so what is seen can be sent to somebody.
const replay = document.querySelector("[data-replay]");
if (replay && window.fetch) start(replay);

function start(replay) {
  const seqs = JSON.parse(replay.dataset.seqs);
  const base = replay.dataset.base;
  const panel = document.getElementById("passo");
  const drawing = document.getElementById("desenho");
  const box = replay.querySelector("[data-slider]");
  const range = box.querySelector("input");
  const said = box.querySelector("output");
  const button = box.querySelector("[data-play]");
  const [play, pause] = JSON.parse(button.dataset.words);
  const pages = new Map(); // seq -> HTML, for as long as this page is open: going back asks nobody
  let viewer = null, asked = null, timer = null, playing = false;

  const shown = () => Number(panel.querySelector("[data-step]").dataset.step);

  async function page(seq) {
    const drawn = drawing && !viewer;
    if (!drawn && pages.has(seq)) return pages.get(seq);
    asked?.abort();
    asked = new AbortController();
    const answer = await fetch(`${base}/${seq}?parte=${drawn ? "desenho" : "1"}`, { credentials: "same-origin", signal: asked.signal });
    if (!answer.ok || answer.redirected) throw new Error(`HTTP ${answer.status}`);
    const html = await answer.text();
    if (!drawn) pages.set(seq, html);
    return html;
  }

  async function show(seq, place = `${base}/${seq}`) {
    range.value = seqs.indexOf(seq) + 1;
    panel.setAttribute("aria-busy", "true");
    try {
      swap(await page(seq));
      history.replaceState(null, "", place);
      tell();
    } catch (error) {
      if (error.name === "AbortError") return;
      stop();
      said.value = replay.dataset.failed;
    }
    panel.setAttribute("aria-busy", "false");
  }

  function swap(html) {
    const open = [...panel.querySelectorAll("details[open][id]")].map((d) => d.id);
    const focused = panel.contains(document.activeElement);
    panel.innerHTML = html;
    open.forEach((id) => document.getElementById(id)?.setAttribute("open", ""));
    if (focused) { // the link that was followed is gone
      panel.tabIndex = -1;
      panel.focus();
    }
  }

  /** Says the step that is shown everywhere outside its panel: slider, links, list, drawing. */
  function tell() {
    const step = panel.querySelector("[data-step]"), seq = shown(), at = seqs.indexOf(seq);
    range.value = at + 1;
    said.value = step.dataset.spoken;
    range.setAttribute("aria-valuetext", step.dataset.spoken);
    document.getElementById("registro").value = seq;
    const going = { first: seqs[0], prev: seqs[at - 1], next: seqs[at + 1], last: seqs[seqs.length - 1] };
    document.querySelectorAll("[data-go]").forEach((link) => aim(link, going[link.dataset.go], seq));
    document.querySelectorAll("[data-list] a").forEach((link) => {
      if (Number(link.dataset.seq) === seq) {
        link.setAttribute("aria-current", "step");
        const list = link.closest("[data-list]");
        list.scrollTop = link.offsetTop - list.clientHeight / 3;
      } else link.removeAttribute("aria-current");
    });
    draw(step);
  }

  function aim(link, to, seq) {
    const off = to === undefined || to === seq;
    const wanted = off ? { role: "link", "aria-disabled": "true", tabindex: "-1" } : { href: `${base}/${to}` };
    for (const [name, value] of Object.entries(wanted)) link.setAttribute(name, value); // first, so that the focus stays
    for (const name of ["href", "role", "aria-disabled", "tabindex"]) if (!(name in wanted)) link.removeAttribute(name);
  }

  function draw(step) {
    if (!drawing) return;
    const marks = JSON.parse(step.dataset.marks);
    drawing.dataset.marks = step.dataset.marks;
    if (!viewer) {
      const picture = step.querySelector("template");
      if (picture) drawing.replaceChildren(picture.content.cloneNode(true));
      return;
    }
    window.TramitaDiagram.mark(viewer, marks);
    const place = window.TramitaDiagram.standing(viewer, marks);
    if (place) viewer.get("canvas").scrollToElement(place, 60);
  }

  function stop() {
    playing = false;
    clearTimeout(timer);
    button.textContent = play;
  }

  async function forward() {
    const at = seqs.indexOf(shown());
    if (!playing || at + 1 >= seqs.length) return stop();
    await show(seqs[at + 1]);
    if (playing) timer = setTimeout(forward, 2500); // long enough to be read out
  }

  button.addEventListener("click", async () => {
    if (playing) return stop();
    playing = true;
    button.textContent = pause;
    if (shown() === seqs[seqs.length - 1]) {
      await show(seqs[0]);
      timer = setTimeout(forward, 2500);
    } else forward();
  });

  let waiting = null; // a slider that is drawn across asks for the step where it rests
  range.addEventListener("input", () => {
    stop();
    clearTimeout(waiting);
    waiting = setTimeout(() => show(seqs[range.value - 1]), 120);
  });

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-seq], a[data-go]");
    if (!link || !link.href || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    stop();
    show(Number(link.href.split("/").pop()));
  });

  if (drawing) {
    drawing.addEventListener("diagram:drawn", (event) => {
      viewer = event.detail.viewer;
      window.TramitaDiagram.mark(viewer, JSON.parse(drawing.dataset.marks));
    });
  }
  box.hidden = false;
  tell();
}
