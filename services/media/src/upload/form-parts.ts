import { createHash, type Hash } from 'node:crypto';
import { GatewayError } from '@gateway/errors';
import { KIND_BYTES, kindOf } from '../domain/file-kind';
import type { Upload, UploadKind } from '../domain/upload';
import { PixelCounter } from '../images/rules/pixel-counter';
import type { FormLimits, FormRules } from './form';
import { type DigestedPart, digestForm } from './form-digest';
import { SpoolFile } from './spool-file';
import type { AccountUploadQuota, UploadQuota } from './upload-quota';

export interface PartsOptions {
  readonly directory: string;
  readonly space: Pick<UploadQuota, 'ofAccount'>;
  readonly limits: FormLimits;
  readonly rules: FormRules;
  /** The account that the files belong to. */
  readonly accountId: string;
}

interface FilePart {
  readonly kind: 'file';
  readonly name: string;
  readonly hash: Hash;
  fileKind?: UploadKind;
  pixels?: PixelCounter;
  spool?: SpoolFile;
}

interface FieldPart {
  readonly kind: 'field';
  readonly name: string;
  readonly value: string;
}

/** The parts of a form as they arrive: validated immediately, files written to disk, everything deleted by `close`. */
export class FormParts {
  readonly #options: PartsOptions;
  readonly #parts: (FilePart | FieldPart)[] = [];
  readonly #fields = new Map<string, string>();
  readonly #lists = new Map<string, string[]>();
  readonly #filesByName = new Map<string, number>();
  #fieldsBytes = 0;
  #filesBytes = 0;
  #quota: Promise<AccountUploadQuota> | undefined;
  #closed = false;

  constructor(options: PartsOptions) {
    this.#options = options;
  }

  /** @param value undefined if it can’t be decoded @throws GatewayError `invalid_request` */
  addField(name: string | undefined, value: string | undefined, truncated: boolean): void {
    const { limits, rules } = this.#options;
    if (name === undefined) throw invalid('a part of the form has no name');
    // The parser reports this without a message.
    if (value === undefined) throw invalid(`${shown(name)}: unknown charset`);
    if (rules.files[name] !== undefined) throw invalid(`${shown(name)} must be a file`);
    if (truncated) throw invalid(`${shown(name)} is too long`);
    // The parser's replacement for undecodable bytes; text that contains it was damaged before.
    if (value.includes('\ufffd')) throw invalid(`${shown(name)} is not valid UTF-8, or contains U+FFFD`);
    this.#fieldsBytes += Buffer.byteLength(name) + Buffer.byteLength(value);
    if (this.#fieldsBytes > limits.maxFieldsBytes) throw invalid('the fields of the form are too long');
    this.#keepField(name, value);
    this.#parts.push({ kind: 'field', name, value });
  }

  /**
   * Reads a file to its end. Its position among the parts is where it started.
   * @throws GatewayError `invalid_request` as soon as it is invalid, `rate_limited` without space for it
   */
  async addFile(name: string | undefined, pieces: AsyncIterable<Buffer>): Promise<void> {
    const part = this.#beginFile(name);
    const { space, accountId } = this.#options;
    this.#quota ??= space.ofAccount(accountId);
    const quota = await this.#quota;
    const file = await SpoolFile.create(this.#options.directory);
    part.spool = file;
    if (this.#closed) return file.close();
    let head: Buffer = Buffer.alloc(0);
    for await (const piece of pieces) {
      this.#countFileBytes(quota, part.name, file.bytes, piece.length);
      if (part.pixels) part.pixels.push(piece);
      else {
        head = head.length === 0 ? piece : Buffer.concat([head, piece]);
        if (head.length >= KIND_BYTES) this.#knowHead(part, head);
      }
      part.hash.update(piece);
      await file.append(piece);
    }
    part.fileKind ??= this.#judgeKind(part.name, head);
  }

  get fields(): ReadonlyMap<string, string> {
    return this.#fields;
  }

  get lists(): ReadonlyMap<string, readonly string[]> {
    return this.#lists;
  }

  get uploads(): readonly Upload[] {
    return this.#parts.flatMap((part) => (part.kind === 'file' ? [toUpload(part)] : []));
  }

  digest(): string {
    return digestForm(
      this.#parts.map((part): DigestedPart => {
        const content = part.kind === 'file' ? part.hash.copy().digest('hex') : part.value;
        return { kind: part.kind, name: part.name, content };
      }),
    );
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const files = this.#parts.flatMap((part) => (part.kind === 'file' && part.spool ? [part.spool] : []));
    await Promise.all(files.map((file) => file.close()));
    if (this.#filesBytes > 0) (await this.#quota)?.release(this.#filesBytes);
  }

  #keepField(name: string, value: string): void {
    if (this.#options.rules.lists?.includes(name)) {
      this.#lists.set(name, [...(this.#lists.get(name) ?? []), value]);
      return;
    }
    if (this.#fields.has(name)) throw invalid(`${shown(name)} is given more than once`);
    this.#fields.set(name, value);
  }

  #beginFile(name: string | undefined): FilePart {
    const { limits, rules } = this.#options;
    if (name === undefined) throw invalid('a part of the form has no name');
    const most = Object.hasOwn(rules.files, name) ? rules.files[name]! : 0;
    if (most === 0) throw invalid(`${shown(name)} may not be a file`);
    const count = (this.#filesByName.get(name) ?? 0) + 1;
    if (count > most) throw invalid(`too many files named ${shown(name)}`);
    this.#filesByName.set(name, count);
    const files = this.#parts.filter(({ kind }) => kind === 'file').length;
    if (files === limits.maxFiles) throw invalid('too many files');
    const part: FilePart = { kind: 'file', name, hash: createHash('sha256') };
    this.#parts.push(part);
    return part;
  }

  #countFileBytes(quota: AccountUploadQuota, name: string, fileBytes: number, pieceBytes: number): void {
    const { limits } = this.#options;
    if (this.#closed) throw new Error('the form is closed');
    if (fileBytes + pieceBytes > limits.maxFileBytes) throw invalid(`${shown(name)} is too large`);
    if (this.#filesBytes + pieceBytes > limits.maxFilesBytes)
      throw invalid('the files exceed the total size limit');
    quota.acquire(pieceBytes);
    this.#filesBytes += pieceBytes;
  }

  #knowHead(part: FilePart, head: Buffer): void {
    part.fileKind = this.#judgeKind(part.name, head);
    part.pixels = new PixelCounter(part.fileKind);
    part.pixels.push(head);
  }

  #judgeKind(name: string, head: Buffer): UploadKind {
    const kind = kindOf(head);
    if (head.length === 0) throw invalid(`${shown(name)} is empty`);
    if (kind === undefined || !this.#options.rules.kinds.includes(kind)) {
      throw invalid(`${shown(name)} must be one of ${this.#options.rules.kinds.join(', ')}`);
    }
    return kind;
  }
}

function toUpload({ name, fileKind, pixels: counter, spool }: FilePart): Upload {
  if (!spool || !fileKind) throw new Error('incomplete file');
  const pixels = counter?.pixels;
  const size = pixels !== undefined && { pixels };
  return { part: name, kind: fileKind, bytes: spool.bytes, ...size, open: () => spool.read() };
}

/** A file name of the client, as far as it can be shown. */
function shown(name: string): string {
  return /^[\w.[\]-]{1,64}$/.test(name) ? name : 'a part of the form';
}

function invalid(detail: string): GatewayError {
  return new GatewayError('invalid_request', { detail });
}
