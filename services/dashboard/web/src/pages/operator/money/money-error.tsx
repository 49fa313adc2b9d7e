import { mayBeDone } from '../../../api/api-error';
import { ErrorState } from '../../../ui/error-state';

/** Why money was not moved, or that the outcome is unknown. */
export function MoneyError({ error, title }: { error: Error; title: string }) {
  return <ErrorState error={error} title={mayBeDone(error) ? 'The outcome is unknown' : title} />;
}
