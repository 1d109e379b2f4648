import { agentPath, type Run, runAgent, workFolder } from './run-agent.ts'

/** Runs Claude Code against a service at `origin`. `home` has its settings and sessions. */
export function claude(
  origin: string,
  args: readonly string[],
  { home = workFolder(), model = 'm', seconds = 60, key = 'good-key' } = {},
): Promise<Run> {
  return runAgent({
    command: agentPath('AGENT_CLAUDE_CODE'),
    args: ['--print', '--model', model, ...args],
    env: {
      ANTHROPIC_BASE_URL: origin,
      ANTHROPIC_AUTH_TOKEN: key,
      ANTHROPIC_SMALL_FAST_MODEL: model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    },
    home,
    seconds,
  })
}
