import { Box, Group, Text } from '@mantine/core';
import classes from './code-block.module.css';
import { CopyButton } from './copy-button';

/** Code to copy. `label` names it: `curl`, `Python`. */
export function CodeBlock({ code, label }: { code: string; label: string }) {
  return (
    <Box className={classes.block}>
      <Group justify="space-between" className={classes.bar}>
        <Text size="xs" c="dimmed">
          {label}
        </Text>
        <CopyButton value={code} label={`Copy ${label}`} />
      </Group>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section className={classes.scroll} tabIndex={0} aria-label={label}>
        <pre className={classes.code}>
          <code>{code}</code>
        </pre>
      </section>
    </Box>
  );
}
