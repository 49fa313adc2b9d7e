/** Returns the metrics without labels of a process, by name. */
export async function readGauges(adminUrl: string): Promise<Readonly<Record<string, number>>> {
  const response = await fetch(`${adminUrl}/metrics`, { signal: AbortSignal.timeout(30_000) });
  if (!response.ok) throw new Error(`${adminUrl}/metrics: ${response.status}`);
  const gauges: Record<string, number> = {};
  for (const line of (await response.text()).split('\n')) {
    const match = /^(\w+) (\S+)$/.exec(line);
    if (match?.[1] && match[2]) gauges[match[1]] = Number(match[2]);
  }
  return gauges;
}
