// After viewer.js has drawn: brings into view, large enough to be read, where the case stands.
document.addEventListener("diagram:drawn", (event) => {
  const { viewer } = event.detail;
  const canvas = viewer.get("canvas");
  const step = window.TramitaDiagram.standing(viewer, JSON.parse(event.target.dataset.marks || "{}"));
  if (!step || canvas.zoom() > 0.7) return;
  canvas.zoom(0.8);
  const { width, height } = canvas.viewbox();
  canvas.viewbox({ x: step.x + step.width / 2 - width / 2, y: step.y + step.height / 2 - height / 2, width, height });
});

/** The shape that a case stands at: what a person has to do, else what is waited for, else the end that was reached. */
window.TramitaDiagram.standing = (viewer, marks) => {
  const registry = viewer.get("elementRegistry");
  const marked = (name) => Object.keys(marks).filter((id) => marks[id] === name).map((id) => registry.get(id)).filter(Boolean);
  const active = marked("active");
  const ends = marked("done").filter((shape) => shape.type === "bpmn:EndEvent");
  return active.find((shape) => shape.type === "bpmn:UserTask") || active[0] || ends.pop();
};
