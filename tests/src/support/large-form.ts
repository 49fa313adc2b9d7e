import http from 'node:http';

const MIB = 1024 * 1024;
const BOUNDARY = 'large-form-of-tests';

export interface LargeForm {
  readonly fields: Readonly<Record<string, string>>;
  /** Number of files in that part, all with the same bytes. */
  readonly part: string;
  readonly files: number;
  readonly bytes: Buffer;
}

/** Returns bytes that begin like a PNG. */
export function largePicture(mebibytes: number): Buffer {
  const bytes = Buffer.alloc(mebibytes * MIB, 'large picture ');
  bytes.write('\x89PNG\r\n\x1a\n', 'latin1');
  return bytes;
}

/** Posts a form of any size from one buffer over a new connection; returns status and body. */
export function postLargeForm(url: string, apiKey: string, form: LargeForm): Promise<[number, string]> {
  const pieces = piecesOf(form);
  return new Promise((resolve, reject) => {
    const request = begin(url, apiKey, lengthOf(pieces));
    request.on('response', (response) => {
      const received: Buffer[] = [];
      response.on('data', (bytes: Buffer) => received.push(bytes));
      response.on('end', () => resolve([response.statusCode ?? 0, Buffer.concat(received).toString()]));
    });
    request.on('error', reject);
    write(request, pieces, () => request.end());
  });
}

/** A form whose last byte is not sent yet. */
export interface HeldForm {
  /** Sends the last byte. */
  end(): Promise<number>;
}

/** Sends all but the last byte of the form. */
export function holdLargeForm(url: string, apiKey: string, form: LargeForm): Promise<HeldForm> {
  const whole = Buffer.concat(piecesOf(form));
  const request = begin(url, apiKey, whole.length);
  const answered = new Promise<number>((resolve, reject) => {
    request.on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('error', reject);
  });
  answered.catch(() => undefined);
  const end = () => {
    request.end(whole.subarray(-1));
    return answered;
  };
  return new Promise((resolve) => request.write(whole.subarray(0, -1), () => resolve({ end })));
}

/** Sends that fraction of the form, but never its last byte, and disconnects. */
export function leaveLargeForm(url: string, apiKey: string, form: LargeForm, part: number): Promise<void> {
  const whole = Buffer.concat(piecesOf(form));
  return new Promise((resolve) => {
    const request = begin(url, apiKey, whole.length);
    request.on('error', () => undefined).on('close', () => resolve());
    const sent = whole.subarray(0, Math.min(whole.length - 1, Math.floor(whole.length * part)));
    if (sent.length === 0) request.flushHeaders();
    request.write(sent, () => request.destroy());
  });
}

function begin(url: string, apiKey: string, bytes: number): http.ClientRequest {
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
    'content-length': bytes,
  };
  return http.request(url, { method: 'POST', headers, agent: false });
}

function write(request: http.ClientRequest, pieces: Buffer[], done: () => void): void {
  for (let piece = pieces.shift(); piece; piece = pieces.shift()) {
    if (request.write(piece)) continue;
    request.once('drain', () => write(request, pieces, done));
    return;
  }
  done();
}

const lengthOf = (pieces: readonly Buffer[]) => pieces.reduce((sum, { length }) => sum + length, 0);

function piecesOf({ fields, part, files, bytes }: LargeForm): Buffer[] {
  const disposition = (name: string) => `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"`;
  const texts = Object.entries(fields).map(([name, value]) =>
    Buffer.from(`${disposition(name)}\r\n\r\n${value}\r\n`),
  );
  const slices = Array.from({ length: Math.ceil(bytes.length / MIB) }, (_, at) =>
    bytes.subarray(at * MIB, (at + 1) * MIB),
  );
  const head = Buffer.from(`${disposition(part)}; filename="a.png"\r\ncontent-type: image/png\r\n\r\n`);
  const all = Array.from({ length: files }, () => [head, ...slices, Buffer.from('\r\n')]).flat();
  return [...texts, ...all, Buffer.from(`--${BOUNDARY}--\r\n`)];
}
