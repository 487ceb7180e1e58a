// Colours are given as they are seen, not converted: a legend must show the colour that is drawn. Imported before
// anything that makes a colour.

import { ColorManagement } from "three";

ColorManagement.enabled = false;
