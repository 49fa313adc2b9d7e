import { Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import type { AuditEntry } from '../../api/audit';
import { modelPath } from '../../api/models';
import { useSubjectNames } from './use-subject-names';

/** The name of what was changed, linked to its page if it has one. */
export function AuditSubject({ action, subject }: AuditEntry) {
  const { names } = useSubjectNames();
  if (subject === null || isNamedByAction(action)) return null;
  const name = names.get(subject);
  const to = pageOf(action, subject, name !== undefined);
  const text = name ?? subject;
  return (
    <Text
      size={name ? 'sm' : 'xs'}
      ff={name ? undefined : 'monospace'}
      c="dimmed"
      title={subject}
      style={{ overflowWrap: 'anywhere' }}
    >
      {to ? (
        <Anchor component={Link} to={to} inherit>
          {text}
        </Anchor>
      ) : (
        text
      )}
    </Text>
  );
}

/** The subject is the account, the user's own login or the number of an entry, which adds nothing. */
const isNamedByAction = (action: string) =>
  /^(billing\/limits|auth\/password|admin\/accounts\/:id\/(adjustments|suspend))$/.test(action);

function pageOf(action: string, subject: string, isThere: boolean): string | undefined {
  if (/^(admin\/)?keys(\/|$)/.test(action))
    return isThere ? `/keys/${encodeURIComponent(subject)}` : undefined;
  if (/^models\//.test(action)) return `/models/${modelPath(subject)}`;
  if (/topups/.test(action)) return '/billing?list=topups';
  return undefined;
}
