import { Paper, Tabs, Text, Title } from '@mantine/core';
import { useMemo } from 'react';
import type { Model } from '../../api/models';
import { useApiUrl } from '../../api/use-api-url';
import { ApiUrlNote } from '../../ui/api-url-note';
import { CodeBlock } from '../../ui/code-block';
import { snippetsOf } from './snippets';

/** A first request to copy, in the reader's language. */
export function TryIt({ model }: { model: Model }) {
  const { apiUrl } = useApiUrl();
  const snippets = useMemo(() => snippetsOf(model, apiUrl), [model, apiUrl]);
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h5" mb={4}>
        Try it
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        Set the value of one of your keys as the environment variable <code>GATEWAY_KEY</code> first.
      </Text>
      <Tabs defaultValue="curl" keepMounted={false}>
        <Tabs.List mb="sm">
          {snippets.map(({ label }) => (
            <Tabs.Tab key={label} value={label}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {snippets.map(({ label, code }) => (
          <Tabs.Panel key={label} value={label}>
            <CodeBlock code={code} label={label} />
          </Tabs.Panel>
        ))}
      </Tabs>
      <ApiUrlNote />
    </Paper>
  );
}
