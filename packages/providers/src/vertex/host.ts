/**
 * The base URL of Vertex AI at a location: a region has its own host, `us` and `eu` are several regions, `global`
 * is all. Throws `TypeError` for what is no project or location.
 */
export function vertexHost(project: string, location: string): string {
  checked(project, 'project', /^[a-z0-9][a-z0-9.:-]*$/i, 'my-project')
  checked(location, 'location', /^[a-z0-9][a-z0-9-]*$/, 'us-central1')
  if (location === 'global') return 'https://aiplatform.googleapis.com/v1'
  if (location === 'us' || location === 'eu') return `https://aiplatform.${location}.rep.googleapis.com/v1`
  return `https://${location}-aiplatform.googleapis.com/v1`
}

function checked(value: string, option: string, rule: RegExp, example: string): void {
  if (typeof value === 'string' && rule.test(value)) return
  throw new TypeError(`vertex: ${option} is missing or no ${option}. Give one such as '${example}'.`)
}
