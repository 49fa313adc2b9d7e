import { Alert, Anchor, Code, Group, Text } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import { Link } from 'react-router';
import { modelPath } from '../../api/models';
import type { RequestRecord } from '../../api/requests';
import { type AdvicePage, adviceOn } from '../../ui/error-advice';

interface AdviceLink {
  readonly to: string;
  readonly text: string;
}

/** What the error means, and links to where it can be resolved. */
export function WhatToDo({ record, keyExists }: { record: RequestRecord; keyExists: boolean }) {
  const code = record.error_code ?? '';
  const { meaning, todo, pages } = adviceOn(code);
  const links = pages.flatMap((page) => linkOf(page, record, keyExists) ?? []);
  return (
    <Alert
      color="red"
      variant="light"
      icon={<TriangleAlert size={18} aria-hidden />}
      title={
        <>
          Failed: <Code>{code}</Code>
        </>
      }
    >
      <Text size="sm">{meaning}</Text>
      <Text size="sm" mt={6}>
        <strong>What to do:</strong> {todo}
      </Text>
      {links.length > 0 && (
        <Group gap="md" mt="xs">
          {links.map(({ to, text }) => (
            <Anchor key={to} component={Link} to={to} size="sm" underline="always" c="inherit">
              {text}
            </Anchor>
          ))}
        </Group>
      )}
    </Alert>
  );
}

/** Returns undefined if there is no page to open. */
function linkOf(
  page: AdvicePage,
  { key_id, model }: RequestRecord,
  keyExists: boolean,
): AdviceLink | undefined {
  switch (page) {
    case 'key':
      return keyExists ? { to: `/keys/${key_id}`, text: 'View key limits' } : undefined;
    case 'keys':
      return { to: '/keys', text: 'See all keys' };
    case 'billing':
      return { to: '/billing', text: 'Balance and top-ups' };
    case 'limits':
      return { to: '/billing', text: 'Account daily limit' };
    case 'model':
      return model ? { to: `/models/${modelPath(model)}`, text: 'Model details' } : undefined;
    case 'models':
      return { to: '/models', text: 'See all models' };
    default:
      return undefined;
  }
}
