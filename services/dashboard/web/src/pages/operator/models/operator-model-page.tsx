import { useParams } from 'react-router';
import { ExistingModel } from './existing-model';
import { NewModel } from './new-model';

/** `/operator/models/openai/gpt-x`, or `/operator/models/new`: a slug contains a slash. */
export function OperatorModelPage() {
  const slug = useParams()['*'] ?? '';
  return slug === 'new' ? <NewModel /> : <ExistingModel key={slug} slug={slug} />;
}
