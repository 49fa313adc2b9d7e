import { mayHaveSucceeded } from '../../../api/api-error';
import { ErrorState } from '../../../ui/error-state';

/** Why money was not moved, or that the outcome is unknown. */
export function MoneyError({ error, title }: { error: Error; title: string }) {
  return <ErrorState error={error} title={mayHaveSucceeded(error) ? 'The outcome is unknown' : title} />;
}
