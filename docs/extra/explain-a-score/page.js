// Python, fastbleu and the function below come from files beside this page. What it returns is a whole page, in a
// frame in which no script runs.
const form = document.querySelector("form");
const output = document.querySelector("output");
const frame = document.querySelector("iframe");
let explain = null;

const fetched = async (name) => {
  const response = await fetch(name);
  if (!response.ok) throw new Error(`${name} is missing: this copy of the site was built without Python`);
  return response;
};

const load = async () => {
  const [wheel, source] = await Promise.all([fetched("fastbleu.whl"), fetched("explained.py")]);
  const { loadPyodide } = await import("./pyodide/pyodide.mjs");
  const python = await loadPyodide();
  python.unpackArchive(await wheel.arrayBuffer(), "wheel");
  python.runPython(await source.text());
  return python.globals.get("explained");
};

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { hypothesis, references, tokenize, lowercase } = form.elements;
  output.textContent = explain ? "" : "Loading …";
  try {
    explain ??= await load();
    frame.srcdoc = explain(hypothesis.value, references.value, tokenize.value, lowercase.checked);
    output.textContent = "";
  } catch (error) {
    output.textContent = error.message.trim().split("\n").at(-1);
  }
});

const fit = () => {
  frame.hidden = !frame.srcdoc;
  frame.style.height = 0;
  frame.style.height = `${frame.contentDocument.documentElement.scrollHeight}px`;
};
frame.addEventListener("load", fit);
addEventListener("resize", fit);
