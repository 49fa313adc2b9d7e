import { memo } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import classes from './reply.module.css';

const PLUGINS = [remarkGfm];

/**
 * Pictures are not fetched: their addresses are the model's, and would tell their hosts who reads. Headings are below
 * those of the page.
 */
const COMPONENTS: Components = {
  img: ({ alt, src }) => (
    <span>
      [{alt || 'picture'}
      {typeof src === 'string' && src ? `: ${src}` : ''}]
    </span>
  ),
  // A link to what may not be linked has lost its address.
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
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
  pre: ({ children }) => <pre tabIndex={0}>{children}</pre>,
};

/** HTML within it is shown as text, and links can only be those of the web or mail. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  return (
    <div className={classes.markdown}>
      <ReactMarkdown remarkPlugins={PLUGINS} components={COMPONENTS}>
        {text}
      </ReactMarkdown>
    </div>
  );
});
