/** Basic controls that know nothing about runs or agents. */
export { Badge, StatusBadge } from './badge'
export { Button, buttonStyle } from './button'
export { Card, CardBody, CardHeader } from './card'
export { Confirm, Dialog } from './dialog'
export { Checkbox, Field, Input, Select, Textarea } from './field'
export { Tab, TabList, TabPanel, Tabs } from './tabs'
