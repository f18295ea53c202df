// Judges reports by schemas (usage: node validate.mjs MODULES KIND=FILE...). MODULES is the folder that install-modules
// has filled; KIND is cyclonedx, sarif or spdx. Prints what is wrong, a line for each; exit code 1 when anything is.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const [modules, ...reports] = process.argv.slice(2);
if (!modules || reports.length === 0) {
  console.error("usage: node validate.mjs MODULES KIND=FILE...");
  process.exit(2);
}
const require = createRequire(join(resolve(modules), "package.json"));
const Ajv = require("ajv");
const here = dirname(fileURLToPath(import.meta.url));
const installed = (path) => join(resolve(modules), "node_modules", path);
const read = (path) => JSON.parse(readFileSync(path, "utf8"));

// strict: false, for the published schemas have keywords that mean nothing to a validator. unicodeRegExp: false, for one
// pattern of SARIF's is none by the stricter rules.
function makeAjv() {
  const ajv = new Ajv({ allErrors: true, strict: false, unicodeRegExp: false });
  require("ajv-formats")(ajv);
  require("ajv-formats-draft2019")(ajv, { formats: ["idn-email", "iri", "iri-reference"] });
  return ajv;
}

const kinds = {
  cyclonedx() {
    const ajv = makeAjv();
    const folder = installed("@cyclonedx/cyclonedx-library/res/schema");
    for (const name of ["spdx.SNAPSHOT.schema.json", "jsf-0.82.SNAPSHOT.schema.json"]) {
      ajv.addSchema(read(join(folder, name)), `http://cyclonedx.org/schema/${name}`);
    }
    return ajv.compile(read(join(folder, "bom-1.5.SNAPSHOT.schema.json")));
  },
  sarif() {
    return makeAjv().compile(read(installed("schemastore/schemas/json/sarif-2.1.0.json")));
  },
  spdx() {
    return makeAjv().compile(read(join(here, "spdx-2.3.schema.json")));
  },
};

const compiled = {};
let wrong = 0;
for (const report of reports) {
  const [kind, file] = [report.slice(0, report.indexOf("=")), report.slice(report.indexOf("=") + 1)];
  if (!(kind in kinds)) {
    console.error(`there is no kind "${kind}"`);
    process.exit(2);
  }
  compiled[kind] ??= kinds[kind]();
  if (compiled[kind](read(file))) continue;
  for (const error of compiled[kind].errors) {
    console.log(`${file}: ${error.instancePath || "/"} ${error.message} ${JSON.stringify(error.params)}`);
    wrong += 1;
  }
}
process.exit(wrong === 0 ? 0 : 1);
