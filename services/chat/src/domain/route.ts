import type { Route as RouteTo } from '@gateway/upstream';
import type { ChatProvider } from './chat-provider';

/** A provider account that serves a model, and the model's name there. */
export type Route = RouteTo<ChatProvider>;
