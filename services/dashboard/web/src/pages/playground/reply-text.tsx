import { lazy, Suspense } from 'react';
import classes from './reply.module.css';

/** Longer replies are shown as plain text, because parsing them would take too long. */
const MAX_MARKDOWN_CHARS = 60_000;

const Markdown = lazy(async () => ({ default: (await import('./markdown')).Markdown }));

/** A model's reply, never interpreted as HTML. */
export function ReplyText({ text }: { text: string }) {
  const plain = <div className={classes.plain}>{text}</div>;
  if (text.length > MAX_MARKDOWN_CHARS) return plain;
  return (
    <Suspense fallback={plain}>
      <Markdown text={text} />
    </Suspense>
  );
}
