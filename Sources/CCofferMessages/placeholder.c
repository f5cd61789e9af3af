#include "CCofferMessages.h"
