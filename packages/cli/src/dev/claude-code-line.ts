import { posixWord, powerShellText } from './curl-line.ts'

/**
 * Returns a line that starts Claude Code with a gateway and one of its models. `undefined` if the base path does not end with
 * `/v1`, which Claude Code appends itself.
 */
export function claudeCodeLine(
  platform: NodeJS.Platform,
  baseURL: string,
  key: string,
  model: string,
): string | undefined {
  if (!baseURL.endsWith('/v1')) return undefined
  const settings = Object.entries({
    ANTHROPIC_BASE_URL: baseURL.slice(0, -'/v1'.length),
    ANTHROPIC_AUTH_TOKEN: key,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
  })
  if (platform === 'win32') {
    const assigned = settings.map(([name, value]) => `$env:${name}=${powerShellText(value)}`)
    return [...assigned, `claude --model ${powerShellText(model)}`].join('; ')
  }
  const assigned = settings.map(([name, value]) => `${name}=${posixWord(value)}`)
  return [...assigned, 'claude', '--model', posixWord(model)].join(' ')
}
