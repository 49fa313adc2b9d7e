import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GatewayError } from '@gateway/errors';
import { ClientDisconnected } from '@gateway/rpc';
import busboy from 'busboy';
import { parseFileFields, type UploadedFile } from '../rules/file-fields';

export interface FileFormRequest {
  readonly contentType: string;
  readonly body: AsyncIterable<Buffer>;
  readonly maxFileBytes: number;
}

/** Of names and values, and of a file's name. */
const MAX_TEXT_BYTES = 255;
const MAX_FIELDS = 8;

/**
 * Reads the form of `POST /v1/files` as it arrives. Fields may follow the file, as the official clients send them.
 * @param put stores the content; called once, and has ended when this ends
 * @throws GatewayError `invalid_request`
 */
export async function readFileForm(
  { contentType, body, maxFileBytes }: FileFormRequest,
  put: (content: AsyncIterable<Buffer>) => Promise<void>,
): Promise<UploadedFile> {
  const parser = openParser(contentType);
  const fields = new Map<string, string>();
  let filename = '';
  let stored: Promise<void> | undefined;
  let failure: Error | undefined;
  const fail = (error: Error) => {
    failure ??= error;
    parser.destroy(failure);
  };
  parser.on('field', (name: string | undefined, value, { valueTruncated, nameTruncated }) => {
    if (valueTruncated || nameTruncated) return fail(invalid('a field of the form is too long'));
    if (!name || fields.has(name)) return fail(invalid('the form has a field twice, or one without a name'));
    fields.set(name, value);
  });
  parser.on('fieldsLimit', () => fail(invalid('the form has too many fields')));
  parser.on('file', (name: string | undefined, stream: Readable, info) => {
    // An error of the parser is seen by the reader of the file too.
    stream.on('error', () => undefined);
    if (isOver(parser)) return fail(invalid('the form goes on after its last boundary'));
    if (name !== 'file' || stored) return fail(invalid('the form must have one file, named file'));
    filename = info.filename ?? 'file';
    if (Buffer.byteLength(filename) > MAX_TEXT_BYTES) return fail(invalid("the file's name is too long"));
    stored = put(upTo(maxFileBytes, stream));
    // If the file broke off, the parser or the body says why.
    stored.catch((error) => error !== stream.errored && fail(error));
  });
  try {
    await pipeline(body, parser);
    if (!stored) throw invalid('file: missing');
    await stored;
    return { filename, ...parseFileFields(fields) };
  } catch (error) {
    parser.destroy();
    await stored?.catch(() => undefined);
    if (failure) throw failure;
    if (error instanceof GatewayError || error instanceof ClientDisconnected) throw error;
    throw invalid('the form is malformed or cut off');
  }
}

async function* upTo(maxBytes: number, content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const piece of content) {
    bytes += piece.length;
    if (bytes > maxBytes) throw invalid(`file: larger than ${maxBytes} bytes`);
    yield piece;
  }
}

function openParser(contentType: string): busboy.Busboy {
  try {
    return busboy({
      headers: { 'content-type': contentType },
      defParamCharset: 'utf8',
      limits: {
        fieldNameSize: MAX_TEXT_BYTES,
        fieldSize: MAX_TEXT_BYTES,
        fields: MAX_FIELDS,
        parts: MAX_FIELDS + 2,
      },
    });
  } catch {
    throw invalid('Content-Type must be multipart/form-data with a boundary');
  }
}

/**
 * Whether the last boundary was read. The library goes on with the rest of that piece of the body, and would wait forever for the end
 * of a file in it.
 */
function isOver(parser: busboy.Busboy): boolean {
  return (parser as unknown as { readonly _complete: boolean })._complete;
}

const invalid = (detail: string) => new GatewayError('invalid_request', { detail });
