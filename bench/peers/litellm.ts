import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The newest that PyPI installs with its extra `proxy`. */
export const liteLlmVersion = '1.99.4'

const files = fileURLToPath(new URL('litellm', import.meta.url))

/** Installs LiteLLM's proxy where it is not yet. Returns its program. Throws without Python's `venv`. */
export function installLiteLlm(): string {
  const folder = fileURLToPath(
    new URL(`../../node_modules/.cache/sluice-bench/litellm-${liteLlmVersion}`, import.meta.url),
  )
  const program = join(folder, 'bin/litellm')
  if (existsSync(program)) return program
  console.log("LiteLLM's proxy is installed beside, by pip: some 700 MB.")
  mkdirSync(folder, { recursive: true })
  const stdio = ['ignore', 'ignore', 'inherit'] as const
  execFileSync('python3', ['-m', 'venv', folder], { stdio: [...stdio] })
  execFileSync(join(folder, 'bin/pip'), ['install', '-q', `litellm[proxy]==${liteLlmVersion}`], {
    stdio: [...stdio],
  })
  return program
}

/** A configuration with one model, a key with limits in memory, and a log. Returns its file. */
export function liteLlmConfig(upstream: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-litellm-'))
  for (const name of readdirSync(files)) {
    if (name.endsWith('.py')) copyFileSync(join(files, name), join(folder, name))
  }
  const config = join(folder, 'config.yaml')
  writeFileSync(
    config,
    `model_list:
  - model_name: gpt-4o
    litellm_params:
      model: openai/gpt-4o-2024-08-06
      api_base: ${upstream}/v1
      api_key: sk-upstream
litellm_settings:
  callbacks: log.lines
general_settings:
  custom_auth: auth.user_api_key_auth
`,
  )
  return config
}

/** What its guide for production sets, for one core; prices come from the package and not from a server. */
export const liteLlmEnvironment = {
  LITELLM_MODE: 'PRODUCTION',
  LITELLM_LOG: 'ERROR',
  LITELLM_LOCAL_MODEL_COST_MAP: 'True',
}
