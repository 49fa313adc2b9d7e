/** The fields of a form. A Blob or File is a file part; several in an array are parts of the same name. Undefined: no part. */
export type FormFields = Readonly<
  Record<string, string | number | boolean | Blob | readonly Blob[] | null | undefined>
>;

/** Returns the fields as multipart/form-data, which `fetch` can send repeatedly. */
export function formOf(fields: object): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || value === null) continue;
    if (!Array.isArray(value)) append(form, name, value);
    // The name that OpenAI's SDKs use for several files.
    else for (const each of value) append(form, value.length > 1 ? `${name}[]` : name, each);
  }
  return form;
}

function append(form: FormData, name: string, value: unknown): void {
  if (value instanceof Blob) form.append(name, value);
  else if (typeof value === 'object')
    throw new TypeError(`${name} must be text, a number or a Blob in a form`);
  else form.append(name, String(value));
}

/** Whether any field is a file, so that the request must be a form. */
export const hasFiles = (fields: object): boolean =>
  Object.values(fields)
    .flat()
    .some((value) => value instanceof Blob);
