// Bundles src/*.js and src/*.css into the web's static folder and puts the licences beside them.
// No plugin, no download, no file outside this repository is read.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "..", "app", "web", "static", "build");

rmSync(out, { recursive: true, force: true });
mkdirSync(join(out, "licenses"), { recursive: true });

const result = await esbuild.build({
  absWorkingDir: here,
  entryPoints: readdirSync(join(here, "src"))
    .filter((name) => /\.(js|css)$/.test(name))
    .map((name) => `src/${name}`),
  outdir: out,
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2021",
  legalComments: "linked",
  metafile: true,
  logLevel: "warning",
});

// esbuild keeps licence comments only; bpmn-js asks for its whole text to travel with the bundle.
const bundled = new Set(
  Object.keys(result.metafile.inputs)
    .map((path) => path.match(/.*node_modules\/((?:@[^/]+\/)?[^/]+)/))
    .filter(Boolean)
    .map((match) => match[1]),
);
const packages = [...bundled].sort().map((name) => {
  const folder = join(here, "node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const text = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
  if (text) cpSync(join(folder, text), join(out, "licenses", `${name.replace("/", "__")}.txt`));
  return `${name} ${version}: ${license}`;
});
writeFileSync(join(out, "licenses", "index.txt"), packages.join("\n") + "\n");
