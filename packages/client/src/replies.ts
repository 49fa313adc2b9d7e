/** The members that programs usually read; a reply has more. */
interface Open {
  readonly [member: string]: unknown;
}

/** The fields that every chat completion has; others are sent as they are. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly object[];
  /** Set by the method. */
  readonly stream?: never;
}

export interface ChatUsage extends Open {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  /** USD, charged for the call. */
  readonly cost?: number;
}

export interface ChatCompletion extends Open {
  readonly id: string;
  readonly model: string;
  readonly choices: readonly {
    readonly index: number;
    readonly message: { readonly role: string; readonly content: string | null } & Open;
    readonly finish_reason: string;
  }[];
  readonly usage?: ChatUsage;
}

export interface ChatChunk extends Open {
  readonly id: string;
  readonly model: string;
  readonly choices: readonly {
    readonly index: number;
    readonly delta: { readonly content?: string | null } & Open;
    readonly finish_reason: string | null;
  }[];
  /** In the last chunk, if the request has `stream_options: {include_usage: true}`. */
  readonly usage?: ChatUsage | null;
}

/** The fields that every message has; others are sent as they are. */
export interface MessageRequest extends ChatRequest {
  readonly max_tokens: number;
}

export interface Message extends Open {
  readonly id: string;
  readonly model: string;
  readonly content: readonly ({ readonly type: string; readonly text?: string } & Open)[];
  readonly stop_reason: string | null;
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number } & Open;
}

/** `message_start`, `content_block_delta`, …, `message_stop`. */
export interface MessageEvent extends Open {
  readonly type: string;
  readonly delta?: { readonly type?: string; readonly text?: string } & Open;
}

export interface ImageRequest {
  readonly model: string;
  readonly prompt: string;
  /** Not supported by this client. */
  readonly stream?: never;
}

export interface ImageEditRequest extends ImageRequest {
  readonly image: Blob | readonly Blob[];
  readonly mask?: Blob | undefined;
}

export interface ImageReply extends Open {
  readonly created: number;
  readonly data: readonly ({ readonly b64_json?: string; readonly url?: string } & Open)[];
}

export interface VideoRequest {
  /** `<provider>/<model>` */
  readonly model: string;
  readonly prompt: string;
  readonly tier?: string | undefined;
  /** Seconds. */
  readonly duration?: number | undefined;
  readonly resolution?: string | undefined;
  readonly aspect_ratio?: string | undefined;
  readonly reference_images?: readonly string[] | readonly Blob[] | undefined;
}

export interface VideoTask extends Open {
  readonly task_id: string;
  readonly model: string;
  /** `queued`, `running`, `completed`, `failed`, `canceled` or `expired`. */
  readonly status: string;
}

export interface VideoStatus extends VideoTask {
  readonly error?: { readonly code: string; readonly message: string; readonly detail?: string };
}

export interface VideoResult extends Open {
  readonly task_id: string;
  readonly videos: readonly {
    readonly url: string;
    /** Seconds. */
    readonly duration: number;
    readonly expires_at: string | null;
  }[];
}

export interface FileRequest {
  readonly file: Blob;
  /** `batch` or `user_data`. */
  readonly purpose: string;
}

export interface FileReply extends Open {
  readonly id: string;
  readonly bytes: number;
  readonly filename: string;
}
