import { Outlet } from 'react-router';
import { useMe } from '../api/use-me';
import { NotFoundPage } from './not-found-page';

/** Users who are not operators get the not-found page. */
export function OperatorGate() {
  return useMe().operator ? <Outlet /> : <NotFoundPage />;
}
