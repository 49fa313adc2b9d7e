/** What a key may be used for, in the order of the form. */
export const KEY_SCOPES: readonly {
  readonly scope: string;
  readonly label: string;
  readonly hint: string;
}[] = [
  {
    scope: 'chat',
    label: 'Chat',
    hint: 'Chat completions, responses, messages and Gemini’s generateContent',
  },
  { scope: 'embeddings', label: 'Embeddings', hint: '' },
  { scope: 'moderations', label: 'Moderations', hint: '' },
  { scope: 'rerank', label: 'Rerank', hint: '' },
  { scope: 'images', label: 'Images', hint: '' },
  { scope: 'audio', label: 'Audio', hint: 'Speech and transcriptions' },
  { scope: 'videos', label: 'Videos', hint: '' },
  { scope: 'files', label: 'Files', hint: '' },
  { scope: 'batches', label: 'Batches', hint: '' },
  {
    scope: 'account_content',
    label: 'Content of other keys',
    hint: 'Stored responses, files, batches and videos of the whole account',
  },
  { scope: 'billing', label: 'Account funds', hint: 'Balance in GET /v1/key' },
];

/** Scopes that a newer gateway may have are shown by their names. */
export const scopeLabel = (scope: string): string =>
  KEY_SCOPES.find((known) => known.scope === scope)?.label ?? scope;
