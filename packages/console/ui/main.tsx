import { render } from 'preact'

render(<p>Sluice</p>, document.getElementById('app')!)
