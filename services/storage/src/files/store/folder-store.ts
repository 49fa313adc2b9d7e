import { constants, mkdirSync } from 'node:fs';
import { access, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { SettingsError } from '@gateway/process';
import type { ObjectStore } from './object-store';

/** Objects are files of a folder. Several instances need the same folder. */
export class FolderStore implements ObjectStore {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Makes the folder. @throws SettingsError if objects can't be written there */
  static async open(folder: string): Promise<FolderStore> {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException;
      throw new SettingsError([`FILE_DIR: no file can be made in ${folder} (${code})`]);
    }
    return new FolderStore(folder);
  }

  async put(name: string, content: AsyncIterable<Buffer>): Promise<void> {
    const file = await open(this.#pathOf(name), 'wx', 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } catch (error) {
      await this.delete(name);
      throw error;
    } finally {
      await file.close();
    }
    await this.#syncFolder();
  }

  async read(name: string): Promise<AsyncIterable<Buffer> | undefined> {
    try {
      return (await open(this.#pathOf(name))).createReadStream();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  async delete(name: string): Promise<void> {
    await rm(this.#pathOf(name), { force: true });
  }

  async reached(): Promise<boolean> {
    return true;
  }

  close(): void {}

  #pathOf(name: string): string {
    return path.join(this.#folder, name);
  }

  /** A new file's name is durable only after this. */
  async #syncFolder(): Promise<void> {
    const folder = await open(this.#folder);
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }
}
