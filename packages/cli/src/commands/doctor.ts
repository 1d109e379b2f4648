import type { Command } from '../command.ts'
import { rejectPositionals, textOf } from '../command-line/arguments.ts'
import { doctorText } from '../doctor/doctor-text.ts'
import { runDoctor } from '../doctor/run-doctor.ts'

/** `sluice doctor`. */
export const doctor: Command = {
  name: 'doctor',
  summary: 'checks this machine, the configuration and what it connects to, with a fix for each problem',
  help: `
Usage: sluice doctor [options]

  --config FILE     configuration to check. Default: the one in this folder, else the vendors whose keys are set
  --json            prints { "ok": true, "findings": [...] }

Checks Node.js, the port, the configuration and who can read it, keys, providers, the clock, the database and Redis. It
connects to the servers that the configuration names, for at most 5 seconds each, and asks vendors for their list of
models, which costs nothing. It changes nothing, and prints no key. Exits with 1 if there is an error.

Examples:
  sluice doctor
  sluice doctor --config gateway.yaml --json`,
  options: { config: { type: 'string' }, json: { type: 'boolean' } },
  async run(values, positionals, context) {
    rejectPositionals('doctor', positionals)
    const findings = await runDoctor(context, { config: textOf(values, 'config') })
    const isHealthy = findings.every(({ status }) => status !== 'error')
    context.print(
      values.json === true
        ? JSON.stringify({ ok: isHealthy, findings })
        : doctorText(findings, context.colours),
    )
    return isHealthy ? 0 : 1
  },
}
