/** One turn of `contents` of generateContent. */
export interface GeminiContent {
  readonly role: 'user' | 'model';
  readonly parts: GeminiPart[];
}

/** Has exactly one member in addition to `thought` and `thoughtSignature`, which describe it. Undefined members are not written. */
export interface GeminiPart {
  readonly text?: string | undefined;
  readonly inlineData?: GeminiBlob | undefined;
  readonly fileData?: { readonly mimeType: string; readonly fileUri: string } | undefined;
  readonly functionCall?: { readonly id: string; readonly name: string; readonly args: object } | undefined;
  readonly functionResponse?: GeminiFunctionResponse | undefined;
  readonly thought?: true | undefined;
  thoughtSignature?: string | undefined;
}

export interface GeminiBlob {
  readonly mimeType: string;
  readonly data: string;
}

export interface GeminiFunctionResponse {
  readonly id: string;
  readonly name: string;
  readonly response: { readonly output: string } | { readonly error: string };
  readonly parts?: readonly { readonly inlineData: GeminiBlob }[] | undefined;
}
