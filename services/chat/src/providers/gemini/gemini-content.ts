/** One turn of `contents`, as generateContent takes it. */
export interface GeminiContent {
  readonly role: 'user' | 'model';
  readonly parts: GeminiPart[];
}

/** Just one of its members but `thought` and `thoughtSignature`, which say something of it. */
export interface GeminiPart {
  readonly text?: string;
  readonly inlineData?: GeminiBlob;
  readonly fileData?: { readonly mimeType: string; readonly fileUri: string };
  readonly functionCall?: { readonly id: string; readonly name: string; readonly args: object };
  readonly functionResponse?: GeminiFunctionResponse;
  readonly thought?: true;
  thoughtSignature?: string;
}

export interface GeminiBlob {
  readonly mimeType: string;
  readonly data: string;
}

export interface GeminiFunctionResponse {
  readonly id: string;
  readonly name: string;
  readonly response: { readonly output: string } | { readonly error: string };
  readonly parts?: readonly { readonly inlineData: GeminiBlob }[];
}
