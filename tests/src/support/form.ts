/** A part of a form: a field with its text, or a file with its bytes. */
export type FormPart = readonly [name: string, value: string | Buffer];

export interface WrittenForm {
  readonly contentType: string;
  readonly body: Buffer;
}

const BOUNDARY = 'form-boundary-of-tests';

/** Writes multipart/form-data as clients do; every file is declared as PNG. */
export function writeForm(parts: readonly FormPart[]): WrittenForm {
  const pieces = parts.flatMap(([name, value]) => {
    const isFile = Buffer.isBuffer(value);
    const file = isFile ? `; filename="${name}.png"\r\ncontent-type: image/png` : '';
    const head = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n`;
    return [Buffer.from(head), Buffer.from(value), Buffer.from('\r\n')];
  });
  return {
    contentType: `multipart/form-data; boundary=${BOUNDARY}`,
    body: Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)]),
  };
}
