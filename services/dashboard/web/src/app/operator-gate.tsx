import { Outlet } from 'react-router';
import { useMe } from '../api/use-me';
import { NotFoundPage } from './not-found-page';

/** To others the operators' pages are not there. */
export function OperatorGate() {
  return useMe().operator ? <Outlet /> : <NotFoundPage />;
}
