import { readFileSync } from 'node:fs';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';

/** Checks an SBOM against the schema of CycloneDX. */
export async function checkSbom(file) {
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
  const problems = await validator.validate(readFileSync(file, 'utf8'));
  if (problems !== null) throw new Error(`${file} is not valid CycloneDX: ${JSON.stringify(problems)}`);
}
