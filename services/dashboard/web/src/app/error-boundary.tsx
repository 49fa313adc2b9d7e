import { Component, type ReactNode } from 'react';
import { ErrorState } from '../ui/error-state';

/** Keeps the shell usable if a page fails. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state = { error: undefined as unknown };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    // A chunk of the page that is gone since a deployment is loaded with the new page.
    const retry = () => window.location.reload();
    return <ErrorState error={error} title="Something went wrong on this page" onRetry={retry} />;
  }
}
