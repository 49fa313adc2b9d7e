import { lazy, Suspense } from 'react';
import classes from './reply.module.css';

/** Parsing is for replies that people read; longer ones are shown as they are. */
const MAX_MARKDOWN_CHARS = 60_000;

const Markdown = lazy(async () => ({ default: (await import('./markdown')).Markdown }));

/** What a model said. Its words are never taken for HTML. */
export function ReplyText({ text }: { text: string }) {
  const plain = <div className={classes.plain}>{text}</div>;
  if (text.length > MAX_MARKDOWN_CHARS) return plain;
  return (
    <Suspense fallback={plain}>
      <Markdown text={text} />
    </Suspense>
  );
}
