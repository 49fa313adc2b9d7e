import type { Upload } from '../domain/upload';
import type { UploadPiece, UpstreamBody } from '../domain/upstream-body';

/** A file's base64 in place of a string in a JSON value, optionally after the start of a data URL. */
export class Base64Text {
  readonly upload: Upload;
  readonly prefix: string;

  constructor(upload: Upload, prefix = '') {
    this.upload = upload;
    this.prefix = prefix;
  }
}

/** Creates a JSON body whose files are read while it is sent. */
export function jsonBody(value: unknown): UpstreamBody {
  const pieces: (Buffer | UploadPiece)[] = [];
  let text = '';
  const write = (part: unknown): void => {
    if (part instanceof Base64Text) {
      pieces.push(Buffer.from(`${text}"${JSON.stringify(part.prefix).slice(1, -1)}`));
      pieces.push({ upload: part.upload, as: 'base64' });
      text = '"';
    } else if (Array.isArray(part)) {
      text += '[';
      part.forEach((item, index) => {
        if (index > 0) text += ',';
        write(item);
      });
      text += ']';
    } else if (typeof part === 'object' && part !== null) {
      text += '{';
      const entries = Object.entries(part).filter(([, item]) => item !== undefined);
      entries.forEach(([name, item], index) => {
        text += `${index > 0 ? ',' : ''}${JSON.stringify(name)}:`;
        write(item);
      });
      text += '}';
    } else {
      text += JSON.stringify(part) ?? 'null';
    }
  };
  write(value);
  pieces.push(Buffer.from(text));
  return pieces;
}
