T operate(uint line, uint slice, uint k, T value) { return value; }
