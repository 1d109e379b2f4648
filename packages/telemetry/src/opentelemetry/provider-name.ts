/** Providers whose name in the conventions is another than ours. */
const known: ReadonlyMap<string, string> = new Map([
  ['azure', 'azure.ai.openai'],
  ['bedrock', 'aws.bedrock'],
  ['gemini', 'gcp.gemini'],
  ['mistral', 'mistral_ai'],
  ['moonshot', 'moonshot_ai'],
  ['vertex', 'gcp.vertex_ai'],
  ['xai', 'x_ai'],
])

/** The conventions' name of a provider; its own where they have none. */
export function providerName(name: string): string {
  return known.get(name) ?? name
}
