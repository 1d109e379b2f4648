import { posixWord, powerShellText } from './curl-line.ts'

/** Returns a line that starts Codex with a gateway and one of its models, without changing its `config.toml`. */
export function codexLine(platform: NodeJS.Platform, baseURL: string, key: string, model: string): string {
  const isWindows = platform === 'win32'
  const quoted = isWindows ? powerShellText : posixWord
  // Codex takes a value that is no TOML as text: quotes would have to pass through two shells.
  const settings = Object.entries({
    model_provider: 'sluice',
    'model_providers.sluice.name': 'Sluice',
    'model_providers.sluice.base_url': baseURL,
    'model_providers.sluice.env_key': 'SLUICE_API_KEY',
    'model_providers.sluice.wire_api': 'responses',
  })
  const command = [
    'codex',
    ...settings.map(([name, value]) => `-c ${name}=${quoted(value)}`),
    `--model ${quoted(model)}`,
  ].join(' ')
  return isWindows
    ? `$env:SLUICE_API_KEY=${powerShellText(key)}; ${command}`
    : `SLUICE_API_KEY=${posixWord(key)} ${command}`
}
