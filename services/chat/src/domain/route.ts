import type { Route as RouteTo } from '@gateway/upstream';
import type { ChatProvider } from './chat-provider';

/** A provider account that can answer for a model, and what the model is called there. */
export type Route = RouteTo<ChatProvider>;
