import { useEffect, useRef, useState } from 'react';
import { randomId } from '../../ui/random-id';
import { type ChosenFile, fileProblem, KIND_BYTES, kindOf, type Purpose } from './chosen-file';

export interface ChosenFiles {
  readonly files: readonly ChosenFile[];
  /** Why some of the last picked files were rejected. */
  readonly problems: readonly string[];
  /** Validates files and adds them; replaces the previous file where only one is possible. */
  add(files: readonly File[]): void;
  remove(id: string): void;
}

/** Files to be sent, with their previews. */
export function useChosenFiles(purpose: Purpose): ChosenFiles {
  const [files, setFiles] = useState<readonly ChosenFile[]>([]);
  const [problems, setProblems] = useState<readonly string[]>([]);
  const shown = useRef(files);
  shown.current = files;
  useEffect(() => () => shown.current.forEach(forget), []);
  return {
    files,
    problems,
    add: async (picked) => {
      if (picked.length === 0) return;
      const results = await Promise.all(picked.map((file) => validate(purpose, file)));
      setProblems(
        results.flatMap(({ problem }, at) => (problem ? [`“${picked[at]!.name}” ${problem}.`] : [])),
      );
      const good = results.flatMap(({ problem }, at) => (problem ? [] : [toChosen(picked[at]!)]));
      if (good.length === 0) return;
      if (purpose === 'mask') shown.current.forEach(forget);
      setFiles((before) => (purpose === 'mask' ? good.slice(-1) : [...before, ...good]));
    },
    remove: (id) => {
      setProblems([]);
      files.filter((file) => file.id === id).forEach(forget);
      setFiles((before) => before.filter((file) => file.id !== id));
    },
  };
}

async function validate(purpose: Purpose, file: File): Promise<{ problem?: string }> {
  try {
    const bytes = new Uint8Array(await file.slice(0, KIND_BYTES).arrayBuffer());
    const problem = fileProblem(purpose, kindOf(bytes), file.size);
    return problem ? { problem } : {};
  } catch {
    return { problem: 'could not be read' };
  }
}

const toChosen = (file: File): ChosenFile => ({ id: randomId(), file, src: URL.createObjectURL(file) });

const forget = ({ src }: ChosenFile): void => URL.revokeObjectURL(src);
