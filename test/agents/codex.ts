import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { agentPath, type Run, runAgent, workFolder } from './run-agent.ts'

/** How Codex is set up, and with what. */
export interface CodexSettings {
  /** The folder with its settings, its sessions and the files that it works on. */
  readonly home?: string
  readonly model?: string
  readonly key?: string
  readonly seconds?: number
  /** More settings, as TOML: tables. */
  readonly tables?: string
  /** Whether it has the service as OpenAI's, and not as a provider of its own. */
  readonly asOpenAI?: boolean
}

/** Runs `codex exec` against a service at `origin`. */
export function codex(
  origin: string,
  args: readonly string[],
  { home = workFolder(), seconds = 60, key = 'good-key', ...settings }: CodexSettings = {},
): Promise<Run> {
  mkdirSync(join(home, '.codex'), { recursive: true })
  writeFileSync(join(home, '.codex', 'config.toml'), configuration(origin, settings))
  return runAgent({
    command: agentPath('AGENT_CODEX'),
    args: ['exec', ...args],
    // `exec` takes the key of the built-in provider from CODEX_API_KEY.
    env: { SLUICE_API_KEY: key, CODEX_API_KEY: key },
    home,
    seconds,
  })
}

function configuration(
  origin: string,
  { model = 'm', tables = '', asOpenAI = false }: Omit<CodexSettings, 'home' | 'key' | 'seconds'>,
): string {
  const provider = `
model_provider = "sluice"

[model_providers.sluice]
name = "Sluice"
base_url = "${origin}/v1"
env_key = "SLUICE_API_KEY"
wire_api = "responses"
`
  return `
model = "${model}"
sandbox_mode = "workspace-write"
check_for_update_on_startup = false
${asOpenAI ? `openai_base_url = "${origin}/v1"\n` : provider}
# They call services at OpenAI, which cannot be reached here: each run would wait 5 s for them.
[analytics]
enabled = false

[features]
plugins = false

${tables}`
}
