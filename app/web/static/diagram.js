// After viewer.js has drawn: brings the current step, or the end that was reached, into view.
document.addEventListener("diagram:drawn", (event) => {
  const { viewer } = event.detail;
  const { marks = "{}" } = event.target.dataset;
  const active = Object.entries(JSON.parse(marks)).filter(([, mark]) => mark === "active");
  const registry = viewer.get("elementRegistry");
  const steps = active.map(([id]) => registry.get(id)).filter(Boolean);
  // What a person has to do, rather than a join or a clock that waits beside it.
  const step = steps.find((s) => s.type === "bpmn:UserTask") || steps[0];
  const canvas = viewer.get("canvas");
  if (!step || canvas.zoom() > 0.7) return;
  canvas.zoom(0.8);
  const { width, height } = canvas.viewbox();
  canvas.viewbox({ x: step.x + step.width / 2 - width / 2, y: step.y + step.height / 2 - height / 2, width, height });
});
