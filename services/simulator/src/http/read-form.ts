import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import busboy from 'busboy';

export interface FormLimits {
  readonly fields: number;
  readonly fieldBytes: number;
  readonly files: number;
  readonly fileBytes: number;
}

/** A received file, of which only a digest and the first bytes are kept. */
export interface FormFile {
  readonly part: string;
  readonly name: string;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
  /** Its first bytes, at most `HEAD_BYTES`. */
  readonly head: Buffer;
}

export interface Form {
  readonly fields: ReadonlyMap<string, string>;
  readonly files: readonly FormFile[];
}

/** The body is not a form, or exceeds the limits. */
export class FormError extends Error {}

const HEAD_BYTES = 32;

/** Rejects with FormError, or with the connection's error if the caller disconnects before the end. */
export function readForm(req: IncomingMessage, limits: FormLimits): Promise<Form> {
  return new Promise((resolve, reject) => {
    const fields = new Map<string, string>();
    const files: Promise<FormFile>[] = [];
    const refuse = (message: string) => {
      req.unpipe();
      // The rest is read and discarded, so that the caller receives the answer instead of a reset.
      req.resume();
      reject(new FormError(message));
    };
    let parser: busboy.Busboy;
    try {
      parser = openParser(req, limits);
    } catch (error) {
      refuse(error instanceof Error ? error.message : 'no form');
      return;
    }
    parser.on('field', (name, value, { valueTruncated }) => {
      if (valueTruncated) refuse(`${name} is too long`);
      else if (fields.has(name) && !name.endsWith('[]')) refuse(`${name} is there twice`);
      else fields.set(name, value);
    });
    parser.on('file', (part, stream, { filename }) => {
      const file = takeFile(part, filename ?? '', stream);
      file.catch((error: Error) => refuse(error.message));
      files.push(file);
    });
    for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) {
      parser.on(limit, () => refuse('too many parts'));
    }
    parser.on('error', (error) => refuse(error instanceof Error ? error.message : 'malformed form'));
    parser.on('close', () => {
      Promise.all(files).then((all) => resolve({ fields, files: all }), reject);
    });
    req.on('error', reject);
    req.pipe(parser);
  });
}

function openParser(req: IncomingMessage, limits: FormLimits): busboy.Busboy {
  const { fields, fieldBytes, files, fileBytes } = limits;
  return busboy({
    headers: req.headers,
    defParamCharset: 'utf8',
    limits: { fields, fieldSize: fieldBytes, files, fileSize: fileBytes, parts: fields + files },
  });
}

function takeFile(part: string, name: string, stream: Readable): Promise<FormFile> {
  return new Promise((resolve, reject) => {
    const hash = createHash('sha256');
    let head = Buffer.alloc(0);
    let bytes = 0;
    stream.on('data', (data: Buffer) => {
      if (head.length < HEAD_BYTES) head = Buffer.concat([head, data]).subarray(0, HEAD_BYTES);
      hash.update(data);
      bytes += data.length;
    });
    stream.on('limit', () => reject(new FormError(`${part} is too large`)));
    stream.on('error', reject);
    stream.on('end', () => resolve({ part, name, bytes, sha256: hash.digest('hex'), head }));
  });
}
