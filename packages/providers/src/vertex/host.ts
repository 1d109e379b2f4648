/** Whether text is the name of a location, such as `us-central1`; only such a name becomes part of a host's. */
export function isLocation(text: string): boolean {
  return /^[a-z0-9][a-z0-9-]{0,62}$/.test(text)
}

/**
 * The base URL of Vertex AI at a location: a region has its own host, `us` and `eu` are several regions, `global`
 * is all.
 */
export function vertexHost(location: string): string {
  if (location === 'global') return 'https://aiplatform.googleapis.com/v1'
  if (location === 'us' || location === 'eu') return `https://aiplatform.${location}.rep.googleapis.com/v1`
  return `https://${location}-aiplatform.googleapis.com/v1`
}

/** Throws `TypeError` for an invalid project or location. */
export function checkProjectAndLocation(project: string, location: string): void {
  checked(project, 'project', text => /^[a-z0-9][a-z0-9.:-]*$/i.test(text), 'my-project')
  checked(location, 'location', isLocation, 'us-central1')
}

function checked(value: string, option: string, fits: (text: string) => boolean, example: string): void {
  if (typeof value === 'string' && fits(value)) return
  throw new TypeError(`vertex: ${option} is missing or no ${option}. Give one such as '${example}'.`)
}
