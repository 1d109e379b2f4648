import { render } from 'preact'
import { App } from './app.tsx'
import { applyTheme, keptTheme } from './shell/theme.ts'

applyTheme(keptTheme())
render(<App />, document.getElementById('app')!)
