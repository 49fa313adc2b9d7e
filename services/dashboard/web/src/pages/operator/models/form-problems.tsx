import { Alert, List, Text } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { ErrorState } from '../../../ui/error-state';
import type { Problems } from './problems';

interface FormProblemsProps {
  title: string;
  problems: Problems;
  /** Error of the last submission. */
  error: unknown;
}

/** All problems of a form, next to its button: the fields show them too, but may be out of sight. */
export function FormProblems({ title, problems, error }: FormProblemsProps) {
  const alert = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (problems.size > 0 || error) alert.current?.scrollIntoView({ block: 'nearest' });
  }, [problems, error]);
  if (problems.size === 0) {
    return <div ref={alert}>{error ? <ErrorState error={error} title={title} /> : null}</div>;
  }
  return (
    <div ref={alert}>
      <Alert
        color="red"
        variant="light"
        title={title}
        icon={<TriangleAlert size={18} aria-hidden />}
        role="alert"
      >
        <List size="sm">
          {[...problems].map(([path, message]) => (
            <List.Item key={path}>
              <Text span size="sm" fw={500}>
                {nameOf(path)}:
              </Text>{' '}
              {message}
            </List.Item>
          ))}
        </List>
      </Alert>
    </div>
  );
}

/** `targets.0.upstream_model` → `Targets 1 upstream model`. */
function nameOf(path: string): string {
  if (path === 'pricing') return 'Prices';
  const steps = path
    .replace(/^pricing\./, '')
    .split('.')
    .map((step) => (/^\d+$/.test(step) ? String(Number(step) + 1) : step));
  const text = steps
    .join(' ')
    .replaceAll('_', ' ')
    .replace(/^(tier|second) [0-9a-f]{32}$/, '$1');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
