import { key, type RequestHead } from './request-heads.ts'

/** The models that there are. */
export const modelIds: readonly string[] = ['m', 'vendor/m']

/**
 * What a request has to be answered with, read from its head by the rules of protocol sections 4 and 6: the path
 * decides where it goes, and no header does.
 */
export function expectedStatus({ method, target, headers }: RequestHead): number {
  const valuesOf = (wanted: string) =>
    headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value.trim())
  const path = pathIn(target)
  const hosts = valuesOf('host')
  const authorizations = valuesOf('authorization')
  const repeated = [hosts, authorizations, valuesOf('content-type')].some(values => values.length > 1)
  if (path === undefined || repeated) return 400
  if (hosts[0] !== undefined && !isHost(hosts[0])) return 400
  const pathname = new URL(`http://gateway.test${path}`).pathname
  const [, rest] = /^\/v1\/+(.*)$/.exec(pathname) ?? []
  const chat = rest === 'chat/completions' || rest === 'chat/completions/'
  const list = rest === 'models' || rest === 'models/'
  const id = chat || list ? undefined : idIn(rest)
  if (!chat && !list && id === undefined) return 404
  if (chat ? method !== 'POST' : method !== 'GET' && method !== 'HEAD') return 405
  const [, token] = /^bearer (.*)$/i.exec(authorizations[0] ?? '') ?? []
  if (token?.trim() !== key) return 401
  if (!chat) return list || modelIds.includes(id ?? '') ? 200 : 404
  const isPlain = valuesOf('content-encoding').length < 2
  return isPlain && isJsonType(valuesOf('content-type')[0]) ? 200 : 400
}

/** The path with its query; `undefined` for what is none, or could be read as another one. */
function pathIn(target: string): string | undefined {
  const [, after] = /^https?:\/\/[^/?#]*(.*)$/is.exec(target) ?? []
  const path = after === undefined || after.startsWith('/') ? (after ?? target) : `/${after}`
  if (!path.startsWith('/') || path.includes('#')) return undefined
  const segments = (path.split('?')[0] ?? '').replaceAll(/%2e/gi, '.').split('/')
  return segments.some(segment => segment === '.' || segment === '..' || segment.includes('\\'))
    ? undefined
    : path
}

function isHost(host: string): boolean {
  return /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i.test(host) && URL.canParse(`http://${host}`)
}

function idIn(rest: string | undefined): string | undefined {
  const [, id] = /^models\/(.+)$/s.exec(rest ?? '') ?? []
  try {
    return id === undefined ? undefined : decodeURIComponent(id)
  } catch {
    return undefined
  }
}

function isJsonType(type: string | undefined): boolean {
  const [name = '', ...parameters] = (type ?? '').toLowerCase().split(/\s*;\s*/)
  return name === 'application/json' && parameters.every(each => !/^charset=(?!"?utf-?8"?$)/.test(each))
}
