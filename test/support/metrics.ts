/** The samples of a metric: its values by label set, as in the text format, such as `{reason="INTERNAL"}`. */
export type Samples = Readonly<Record<string, number>>;

/** Reads the samples of one metric. */
export async function readMetric(port: number, name: string): Promise<Samples> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  if (response.status !== 200) throw new Error(`The metrics have the status ${response.status}.`);
  const samples: Record<string, number> = {};
  for (const line of (await response.text()).split('\n')) {
    const [, key, labels = '', value] = /^(\w+)(\{.*\})? (\S+)$/.exec(line) ?? [];
    if (key === name) samples[labels] = Number(value);
  }
  return samples;
}
