import { memo } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import classes from './reply.module.css';

const PLUGINS = [remarkGfm];

/**
 * Images are not loaded: their URLs are chosen by the model and would reveal the reader to their hosts. Headings start
 * below those of the page.
 */
const COMPONENTS: Components = {
  img: ({ alt, src }) => (
    <span>
      [{alt || 'picture'}
      {typeof src === 'string' && src ? `: ${src}` : ''}]
    </span>
  ),
  // A link with a forbidden protocol has no address.
  a: ({ href, children }) =>
    href ? (
      <a href={href} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>
    ) : (
      <span>{children}</span>
    ),
  h1: ({ children }) => <h3>{children}</h3>,
  h2: ({ children }) => <h3>{children}</h3>,
  h3: ({ children }) => <h4>{children}</h4>,
  h4: ({ children }) => <h5>{children}</h5>,
  // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard.
  pre: ({ children }) => <pre tabIndex={0}>{children}</pre>,
};

/** HTML is shown as text; links can only be http, https and mailto. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  return (
    <div className={classes.markdown}>
      <ReactMarkdown remarkPlugins={PLUGINS} components={COMPONENTS}>
        {text}
      </ReactMarkdown>
    </div>
  );
});
